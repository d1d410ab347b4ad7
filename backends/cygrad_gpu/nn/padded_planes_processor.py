"""Images copied so that positions side by side see elements side by side: products read columns where they lie.

Some images are copied at a time, so that the copy stays in the cache. It is as large as they are with their padding,
where columns are as many times larger as filters have elements.
"""
SIDE = 32                   # rows and columns of filters that the kernels have room for
CACHED = 1 << 18            # elements of the planes of the images that are done at a time, if these are several
PACKING, GATHERING = 28, 60     # filters that a place is multiplied with in the time in which it is packed or gathered


class Planes:
    """A copy of the images in which positions side by side see elements side by side, zeros of the padding included.

    Rows and columns that the stride divides with one remainder have planes of their own, (G, C, steps, steps) of them;
    in one, all images lie below each other. Lines share the zeros between them, and so do images.
    """

    def __init__(self, geometry, images, channels):
        self.rows, self.columns = self.Axis(geometry, 0), self.Axis(geometry, 1)
        self.image = self.rows.length * self.columns.length
        self.steps = self.rows.step * self.columns.step
        self.images = min(images, max(1, CACHED // (channels * self.steps * self.image)))       # at a time
        self.size = self.images * self.image

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
        packing = PACKING if geometry.neighbours else GATHERING
        return 1 < u * v and max(u, v) <= SIDE and filters * (self.image - p * q) < packing * p * q

    def empty(self, backend, device, dtype, groups, channels):
        """Room for planes, zeros: a View, and its strides as those of images."""
        slack = (self.rows.reach + 1) * self.columns.length + self.columns.reach + 64   # is read beyond the last one
        whole = backend.scratch(device, dtype, groups * channels * self.steps * self.size + slack)
        backend.fill(whole, 0)
        return whole, (self.image, channels * self.steps * self.size, self.steps * self.size, self.columns.length, 1)

    def put(self, backend, x, whole, strides):
        """Copy images into the planes, always to the same places: what is zero stays so."""
        a, b, c, d, e = x.stride()
        for i, (top, first, rows) in enumerate(self.rows.parts):
            for j, (left, start, columns) in enumerate(self.columns.parts):
                if not rows * columns:
                    continue
                shape, place = (*x.shape[:3], rows, columns), (i * self.columns.step + j) * self.size
                seen = backend.window(x, shape, (a, b, c, d * self.rows.step, e * self.columns.step),
                                      first * d + start * e)
                backend.copy(seen, backend.window(whole, shape, strides, place + top * self.columns.length + left))

    @property
    def arguments(self):
        return self.size, self.columns.length, self.rows.length, self.rows.skipped, self.columns.skipped
