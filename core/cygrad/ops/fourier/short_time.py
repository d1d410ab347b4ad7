"""Transforms of a window that moves along a signal: `stft`, and `istft`, which adds the windows up again."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import op
from cygrad.ops.fourier.discrete_transforms import c2c, c2r, r2c
from cygrad.ops.nn.border_padding import pad_with_borders
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.declare.operand_types import need_tensors, refused

ONESIDED = "Cannot have onesided output if window or input is complex"


def described(name, kind, input, n_fft, hop_length, win_length, window, **words):
    """A call as PyTorch's errors show it."""
    window = "None" if window is None else f"torch.{tensor_type(window)}Tensor{{{list(window.shape)}}}"
    rest = "".join(f", {word}={int(value) if isinstance(value, bool) else value}" for word, value in words.items())
    return (f"{name}({kind}{list(input.shape)}, n_fft={n_fft}, hop_length={hop_length}, win_length={win_length}, "
            f"window={window}{rest})")


def tensor_type(t):
    return SCALAR_NAMES[t.dtype.code]


def full_window(window, n_fft, win_length, like):
    """The window in the middle of n_fft places, zeros around it; ones for None."""
    if window is None:
        if win_length == n_fft:
            return None
        window = cygrad.ones(win_length, dtype=like.dtype.to_real(), device=like.device)
    left = (n_fft - win_length) // 2
    return constant_pad_nd(window, (left, n_fft - win_length - left)) if win_length < n_fft else window


def extended(input, n, mode):
    """A signal (..., T) with n places more on both sides."""
    if mode == "constant":
        return constant_pad_nd(input, (n, n))
    shape = [1] * (3 - input.dim()) + list(input.shape)
    size = shape[-1]
    if not size:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {shape}")
    if mode == "reflect":
        if input.dtype.name == "bool":
            raise refused("reflection_pad1d", input.dtype)
        if n >= size:
            raise RuntimeError("Argument #4: Padding size should be less than the corresponding input dimension, but "
                               f"got: padding ({n}, {n}) at dimension 2 of input {shape}")
    elif mode == "circular":
        return input.index_select(-1, cygrad.arange(-n, size + n, device=input.device) % size)
    elif mode != "replicate":
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return pad_with_borders(input.reshape(shape), (n, n), mode).reshape(*input.shape[:-1], size + 2 * n)


@op
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False, onesided=None, return_complex=None, align_to_window=None):
    """The Fourier transform of each place of a window that moves along a signal.

    Parameters
    ----------
    input : Tensor
        (T,) or (B, T), real or complex.
    n_fft : int
        How many points each transform has.
    hop_length : int, optional
        The step of the window; n_fft // 4 by default.
    win_length : int, optional
        The size of the window, n_fft at most, which is the default.
    window : Tensor, optional
        (win_length,); ones by default.
    center : bool
        Whether frame t is centred at place t * hop_length, for which the signal is extended at both ends.
    pad_mode : {"reflect", "constant", "replicate", "circular"}
        How it is extended.
    normalized : bool
        Divide by the root of n_fft.
    onesided : bool, optional
        Only the first half of the frequencies; the default for real numbers.
    return_complex : bool
        False, which is deprecated, gives real and imaginary parts in an axis of their own.
    align_to_window : bool, optional
        Without `center`: frames begin where the window does, not where the n_fft points do.

    Returns
    -------
    Tensor
        (B, frequencies, frames), without B if the input has none.

    Raises
    ------
    RuntimeError
        If sizes don't fit each other, or `return_complex` is not given for real numbers.

    Examples
    --------
    >>> tuple(cygrad.stft(cygrad.ones(16), 4, window=cygrad.hann_window(4), return_complex=True).shape)
    (3, 17)
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        input.dim()                     # PyTorch's first question
        input = extended(input, int(n_fft // 2), pad_mode)
    need_tensors("stft", input=input)
    for name, value in (("normalized", normalized), ("onesided", onesided), ("return_complex", return_complex)):
        if not isinstance(value, bool) and (value is not None or name == "normalized"):
            raise TypeError(f"stft(): argument '{name}' must be bool, not {type(value).__name__}")
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if window is None:
        warn("A window was not provided. A rectangular window will be applied,which is known to cause spectral "
             "leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce "
             "spectral leakage.To suppress this warning and use a rectangular window, explicitly set "
             "`window=torch.ones(n_fft, device=<device>)`.")
    in_complex = input.is_complex() or window is not None and window.is_complex()
    if return_complex is None:
        if not in_complex:
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further "
                               "require that return_complex=True in a future PyTorch release.")
        return_complex = True
    elif not return_complex:
        warn("stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
             "tensors for all inputs, and return_complex=False will raise an error.")
    check_stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)
    if in_complex and onesided:
        raise RuntimeError(ONESIDED)
    if align_to_window:
        left = (n_fft - win_length) // 2
        input = constant_pad_nd(input, (left, n_fft - win_length - left))
    rows = input if input.dim() == 2 else input.unsqueeze(0)
    far, near = rows.stride()
    count = 1 + (rows.shape[1] - n_fft) // hop_length
    frames = rows.as_strided((rows.shape[0], count, n_fft), (far, near * hop_length, near))
    window = full_window(window, n_fft, win_length, input)
    frames = frames if window is None else frames * window
    if in_complex:
        found = c2c(frames, (2,), int(bool(normalized)), True)
    else:
        found = r2c(frames, (2,), int(bool(normalized)), onesided is None or bool(onesided))
    found = found.transpose_(1, 2)
    found = found.squeeze_(0) if input.dim() == 1 else found
    return found if return_complex else cygrad.view_as_real(found)


def check_stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window):
    def refuse(words):
        call = described("stft", f"torch.{tensor_type(input)}Tensor", input, n_fft, hop_length, win_length, window,
                         normalized=bool(normalized), onesided=onesided, return_complex=bool(return_complex),
                         align_to_window=align_to_window)
        raise RuntimeError(f"{call} : expected {words}")
    if not (input.is_floating_point() or input.is_complex()):
        refuse("a tensor of floating point or complex values")
    if input.dim() not in (1, 2):
        refuse("a 1D or 2D tensor")
    size = input.shape[-1]
    if not 0 < n_fft <= size:
        refuse(f"0 < n_fft < {size}, but got n_fft={n_fft}")
    if hop_length <= 0:
        refuse(f"hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        refuse(f"0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and tuple(window.shape) != (win_length,):
        refuse(f"a 1D window tensor of size equal to win_length={win_length}, but got window with size "
               f"{list(window.shape)}")


def added_up(frames, hop_length):
    """Rows (B, frames, n), each put hop_length places after the one before, and added: (B, T)."""
    batch, count, n = frames.shape
    from cygrad.autograd.derivatives.shape import unfold_backward     # start-up time
    return unfold_backward(frames, (batch, n + hop_length * (count - 1)), 1, n, hop_length)


@op
def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
          length=None, return_complex=False):
    """The inverse of `stft`: the signal that fits all frames best, by least squares.

    Parameters
    ----------
    input : Tensor
        (frequencies, frames) or (B, frequencies, frames), complex.
    n_fft, hop_length, win_length, window, center, normalized, onesided
        As `stft` was given them.
    length : int, optional
        Cut the signal to this many points, or fill it up with zeros.
    return_complex : bool
        The signal is complex.

    Returns
    -------
    Tensor
        (T,) or (B, T).

    Raises
    ------
    RuntimeError
        If sizes don't fit each other, or the windows leave a point out.

    Notes
    -----
    Griffin and Lim, 1984: each transformed frame times the window, added up, over the sum of the squared windows.

    Examples
    --------
    >>> x, window = cygrad.arange(8.), cygrad.hann_window(4)
    >>> cygrad.istft(cygrad.stft(x, 4, window=window, return_complex=True), 4, window=window)
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    need_tensors("istft", input=input)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    call = described("istft", f"CPU{tensor_type(input)}Type", input, n_fft, hop_length, win_length, window,
                     center=bool(center), normalized=bool(normalized), onesided=onesided, length=length,
                     return_complex=bool(return_complex))
    if window is None:
        warn("A window was not provided. A rectangular window will be applied.Please provide the same window used by "
             "stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly "
             "set `window=torch.ones(n_fft, device=<device>)`.")
    if onesided is None and input.dim() > 1:
        onesided = input.shape[-2] != n_fft
    check_istft(call, input, n_fft, hop_length, win_length, window, onesided, return_complex)
    frames = (input if input.dim() == 3 else input.unsqueeze(0)).transpose(1, 2)
    if return_complex:
        frames = c2c(frames, (2,), 1 if normalized else 2, False)
    else:
        if not onesided:
            frames = frames.narrow(-1, 0, n_fft // 2 + 1)
        frames = c2r(frames, (2,), 1 if normalized else 2, n_fft)
    whole = full_window(window, n_fft, win_length, input)
    whole = cygrad.ones(n_fft, dtype=input.dtype.to_real(), device=input.device) if whole is None else whole
    total = added_up(frames * whole, hop_length)
    weight = added_up((whole * whole).expand(1, frames.shape[1], n_fft), hop_length)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total.shape[-1] - (n_fft // 2 if center else 0)
    total, weight = total[:, start:end], weight[:, start:end]
    least = weight.abs().min()
    if not least.item() > 1e-11:
        raise RuntimeError(f"{call} window overlap add min: {int(least.item() <= 1e-11)}")
    found = total / weight
    found = found if input.dim() == 3 else found.squeeze(0)
    if end - start > found.shape[-1]:
        warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in the "
             "tail. Please check your center and hop_length settings.")
        found = constant_pad_nd(found, (0, end - start - found.shape[-1]))
    return found


def check_istft(call, input, n_fft, hop_length, win_length, window, onesided, return_complex):
    if not input.is_complex():
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with "
                           "return_complex=True.")
    if input.dim() < 2:
        raise IndexError("Dimension out of range")
    if not input.numel():
        raise RuntimeError(f"{call} : input tensor cannot be empty.")
    if input.dim() not in (2, 3):
        raise RuntimeError(f"{call} : expected a tensor with 3 or 4 dimensions, but got {input.dim() + 1}")
    places = input.shape[-2]
    if onesided:
        if n_fft // 2 + 1 != places:
            raise RuntimeError(f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to "
                               f"match n_fft / 2 + 1 when onesided=True, but got {places}")
    elif n_fft != places:
        raise RuntimeError(f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"n_fft when onesided=False, but got {places}")
    if not 0 < hop_length <= win_length:
        raise RuntimeError(f"{call} : expected 0 < hop_length <= win_length")
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{call} : Invalid window shape. window has to be 1D and length of `win_length`")
    if return_complex and onesided:
        raise RuntimeError(ONESIDED)
    if not return_complex and window is not None and window.is_complex():
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
