"""Edits a TIFF in memory, byte by byte: what libraries refuse to write.

Classic TIFF and BigTIFF, of either byte order, first directory only
(https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf,
http://bigtiff.org).
"""

import struct

HEIGHT, COMPRESSION, SAMPLES, PLANES, PREDICTOR, EXTRA_SAMPLES = 257, 259, 277, 284, 317, 338
TILE = (322, 323)
OFFSETS, COUNTS = (324, 273), (325, 279)
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 12: 8, 16: 8}
LETTERS = {1: "B", 3: "H", 4: "I", 16: "Q"}


class Tiff:
    """The bytes of a TIFF, with its first directory understood."""

    def __init__(self, path):
        self.bytes = bytearray(path.read_bytes())
        self.order = {b"II": "<", b"MM": ">"}[bytes(self.bytes[:2])]
        self.big = self._get("H", 2) == 43
        self.at = self._get("Q", 8) if self.big else self._get("I", 4)
        self.head, self.entry, self.wide = (8, 20, "Q") if self.big else (2, 12, "I")
        self.tags = {}
        for i in range(self._get("Q" if self.big else "H", self.at)):
            p = self.at + self.head + self.entry * i
            self.tags[self._get("H", p)] = p

    def _get(self, letter, at):
        return struct.unpack_from(self.order + letter, self.bytes, at)[0]

    def _place(self, tag):
        """Where a tag's values are, their letter and how many there are."""
        p = self.tags[tag]
        kind, n = self._get("H", p + 2), self._get(self.wide, p + 4)
        at = p + 4 + struct.calcsize("<" + self.wide)
        if SIZES[kind] * n > struct.calcsize("<" + self.wide):
            at = self._get(self.wide, at)
        return at, LETTERS[kind], n

    def values(self, tag):
        """All values of a tag."""
        at, letter, n = self._place(tag)
        return list(struct.unpack_from(f"{self.order}{n}{letter}", self.bytes, at))

    def set(self, tag, value, i=0):
        """Replaces one value of a tag."""
        at, letter, n = self._place(tag)
        assert i < n
        struct.pack_into(self.order + letter, self.bytes, at + i * struct.calcsize("<" + letter), value)

    def drop(self, tag):
        """Takes a tag out of the directory."""
        places = sorted(self.tags.values())
        gone = self.tags[tag]
        struct.pack_into(self.order + ("Q" if self.big else "H"), self.bytes, self.at, len(places) - 1)
        end = places[-1] + self.entry + struct.calcsize("<" + self.wide)  # the next directory's place moves along
        rest = self.bytes[gone + self.entry : end]
        self.bytes[gone : gone + len(rest)] = rest

    def block(self, i):
        """Where block number i is in the file, and its length."""
        offsets = next(t for t in OFFSETS if t in self.tags)
        counts = next(t for t in COUNTS if t in self.tags)
        return self.values(offsets)[i], self.values(counts)[i]

    def move(self, i, to):
        """Makes the directory say that block i is elsewhere."""
        self.set(next(t for t in OFFSETS if t in self.tags), to, i)

    def spoil(self, i):
        """Overwrites the bytes of block i with noise that no codec takes."""
        at, n = self.block(i)
        self.bytes[at : at + n] = bytes((k * 37 + 11) % 256 for k in range(n))

    def save(self, path):
        path.write_bytes(self.bytes)
