"""Messages over a socket between two processes: whole ones, in order, with open files."""
import socket
import struct

HEADER = struct.Struct("=QQI")      # bytes of the note, bytes of the body, how many open files
AT_ONCE = 1 << 18                   # bytes read by one call
CLOSED_LATER = getattr(socket, "MSG_CMSG_CLOEXEC", 0)       # programs started by this one don't get the files
FILES = 250                         # open files that one call may send; the system's limit is 253


class Link:
    """One end of a pair of connected sockets."""

    def __init__(self, end):
        self.socket = end
        self._read = bytearray()
        self._files = []
        self._unsent = bytearray()

    def fileno(self):
        """Number of the open file, to wait for."""
        return self.socket.fileno()

    def end(self):
        """Let the other end read the end of the stream, even if another process has this end, too."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:                 # it is gone
            pass
        self.close()

    def close(self):
        """Close this end in this process."""
        self.socket.close()

    def send(self, note, body=b"", files=()):
        """Send a message; waits until the other end has room for it."""
        for start in range(0, len(files) - FILES, FILES):
            self._send([HEADER.pack(0, 0, 0)], files[start:start + FILES])
        self._send([HEADER.pack(len(note), len(body), len(files)), note, body],
                   files[(len(files) - 1) // FILES * FILES:] if files else ())

    def _send(self, parts, files):
        if files:
            sent = socket.send_fds(self.socket, parts, files)
        else:
            sent = self.socket.sendmsg(parts)
        if sent < sum(map(len, parts)):
            self.socket.sendall(memoryview(b"".join(parts))[sent:])

    def post(self, note):
        """Send a message without waiting: what there is no room for now, `flush` sends."""
        self._unsent += HEADER.pack(len(note), 0, 0) + note
        self.flush()

    def flush(self):
        """Send what there is room for now. Returns whether all is sent."""
        try:
            while self._unsent:
                del self._unsent[:self.socket.send(self._unsent, socket.MSG_DONTWAIT)]
        except BlockingIOError:
            return False
        except OSError:                 # nobody reads any more, which who reads from here will notice
            self._unsent.clear()
        return True

    def read(self):
        """Read what has come, or wait for something. Returns False at the end of the stream."""
        try:
            data, files, flags, _ = socket.recv_fds(self.socket, AT_ONCE, FILES, CLOSED_LATER)
        except ConnectionResetError:
            data, flags = b"", 0
        if flags & socket.MSG_CTRUNC:
            raise RuntimeError("Too many open files. Communication with the workers is no longer possible. Please "
                               "increase the limit using `ulimit -n` in the shell or change the sharing strategy by "
                               "calling `torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning "
                               "of your code")
        if data:
            self._read += data
            self._files += files
        return bool(data)

    def message(self):
        """The next message that has come whole, as (note, body, files); None if there is none."""
        while len(self._read) >= HEADER.size:
            note, body, files = HEADER.unpack_from(self._read)
            end = HEADER.size + note + body
            if len(self._read) < end:
                return None
            found = bytes(self._read[HEADER.size:HEADER.size + note]), bytes(self._read[HEADER.size + note:end])
            del self._read[:end]
            if note:
                taken, self._files = self._files[:files], self._files[files:]
                return *found, taken
        return None
