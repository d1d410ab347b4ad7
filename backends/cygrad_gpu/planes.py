"""Images copied so that positions side by side see elements side by side: products read columns where they lie.

A copy is as large as the images with their padding, where columns are as many times larger as filters have elements.
"""
SIDE = 32                   # rows and columns of filters that the kernels have room for
PACKING, GATHERING = 28, 60     # filters that a place is multiplied with in the time in which it is packed or gathered


class Planes:
    """A copy of the images in which positions side by side see elements side by side, zeros of the padding included.

    Rows and columns that the stride divides with one remainder have planes of their own, (G, C, steps, steps) of them;
    in one, all images lie below each other. Lines share the zeros between them, and so do images.
    """

    def __init__(self, geometry, images):
        self.images, self.rows, self.columns = images, *(self.Axis(geometry, axis) for axis in (0, 1))
        self.size = images * self.rows.length * self.columns.length

    class Axis:
        """One axis: line i of the planes of remainder f is line ``i * step + f + first`` of an image."""

        def __init__(self, geometry, axis):
            taps, size, outputs = (geometry.sizes[at + axis] for at in (2, 4, 6))
            self.step, apart, before = geometry.move[axis::2]
            ends = (-before, (taps - 1) * apart - before)
            self.first = min(ends)
            seen = outputs + (max(ends) - self.first) // self.step
            self.skipped, self.reach = before + self.first, seen - outputs
            self.parts, shared = [], self.reach             # less would put one position on two lines
            for f in range(self.step):
                ahead = max(0, -((f + self.first) // self.step))        # lines before the image
                start = ahead * self.step + f + self.first
                count = max(0, min(-(-(size - start) // self.step), seen - ahead))
                self.parts.append((ahead, start, count))
                shared = min(shared, ahead, seen - ahead - count) if count else shared
            self.length = seen - shared

    def pay(self, geometry, filters):
        """Whether products with so many filters lose less by places that are no positions than by packing panels."""
        _, _, u, v, _, _, p, q = geometry.sizes
        positions, packing = self.images * p * q, PACKING if geometry.neighbours else GATHERING
        return 1 < u * v and max(u, v) <= SIDE and filters * (self.size - positions) < packing * positions

    def filled(self, backend, device, x, dtype):
        """The planes of images x, and their strides as those of x."""
        n, groups, channels = x.shape[:3]
        steps = self.rows.step * self.columns.step
        slack = (self.rows.reach + 1) * self.columns.length + self.columns.reach + 64   # is read beyond the last one
        whole = backend.scratch(device, dtype, groups * channels * steps * self.size + slack)
        backend.fill(whole, 0)
        row, image = self.columns.length, self.rows.length * self.columns.length
        for i, (top, first, rows) in enumerate(self.rows.parts):
            for j, (left, start, columns) in enumerate(self.columns.parts):
                if not rows * columns:
                    continue
                a, b, c, d, e = x.stride()
                seen = backend.window(x, (n, groups, channels, rows, columns),
                                      (a, b, c, d * self.rows.step, e * self.columns.step), first * d + start * e)
                place = ((i * self.columns.step + j) * self.size + top * row + left)
                backend.copy(seen, backend.window(
                    whole, seen.shape, (image, channels * steps * self.size, steps * self.size, row, 1), place))
        return whole, (0, channels * steps * self.size, 0, 0, 0)

    @property
    def arguments(self):
        return self.size, self.columns.length, self.rows.length, self.rows.skipped, self.columns.skipped
