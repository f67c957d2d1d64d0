"""Rasters that cannot be read, or not all of them."""

from pathlib import Path

import numpy as np
from osgeo import gdal

from fixtures_tiff import COMPRESSION, HEIGHT, SAMPLES, TILE, Tiff
from fixtures_truth import statistics
from fixtures_write import heights, ramp, strips, tiff, tiles


def opens(path):
    """Whether GDAL opens it."""
    try:
        return gdal.Open(str(path)) is not None
    except RuntimeError:
        return False


def broken(path):
    """The blocks that GDAL cannot read, as band, column and row."""
    ds = gdal.Open(str(path))
    found = []
    for i in range(ds.RasterCount):
        band = ds.GetRasterBand(i + 1)
        w, h = band.GetBlockSize()
        for y in range(-(-ds.RasterYSize // h)):
            for x in range(-(-ds.RasterXSize // w)):
                try:
                    band.ReadBlock(x, y)
                except RuntimeError:
                    found.append((i + 1, x, y))
    return found


def rest(values, block, at, band):
    """What is right for all but one block, in all bands together. band 0: in every band."""
    out = np.zeros(values.shape, bool)
    (x, y), (w, h) = at, block
    out[band - 1 if band else slice(None), y * h : y * h + h, x * w : x * w + w] = True
    found = statistics(list(values), list(out))
    del found["nodata"], found["pixels"]
    return found


def damaged(f):
    """All of them, each checked: GDAL must fail, and only where it should."""
    u = (ramp(70, 50, 60013) * 13).astype(np.uint16)

    def fails(path, what, values, at, band=0, **more):
        """The row of a file of which one block cannot be read."""
        of = gdal.Open(str(path)).GetRasterBand(1).GetBlockSize()
        if band:
            more["band"] = band
        f.fails(path.name, what, "read", at=list(at), block=of, rest=rest(values, of, at, band), **more)

    def spoilt(name, what, values, *options, block, at, band=0, do=Tiff.spoil, needs=None):
        path = f.to / name
        values = values if values.ndim == 3 else values[None]
        tiff(path, values, *options)
        t = Tiff(path)
        do(t, block)
        t.save(path)
        if (got := broken(path)) != [(i, *at) for i in ([band] if band else range(1, len(values) + 1))]:
            raise SystemExit(f"fixtures: {name}: blocks that fail: {got}")
        fails(path, what, values, at, band, **({"needs": needs} if needs else {}))

    # 3 x 2 tiles: number 4 is at column 1, row 1.
    for codec in "DEFLATE", "LZW", "ZSTD", "LERC":
        spoilt(f"damaged-{codec.lower()}.tif", f"a damaged tile, {codec}", u, f"COMPRESS={codec}", *tiles(32), block=4, at=(1, 1), needs=codec)
    spoilt("damaged-predictor-3.tif", "a damaged tile, predictor 3", heights(70, 50), "COMPRESS=DEFLATE", "PREDICTOR=3", *tiles(32), block=1, at=(1, 0))
    spoilt("damaged-strip.tif", "a damaged strip", u, "COMPRESS=DEFLATE", *strips(8), block=3, at=(0, 3))
    three = np.stack([ramp(44, 40, m) for m in (251, 199, 97)]).astype(np.uint8)
    spoilt("damaged-second-band.tif", "a damaged tile in the plane of the second band", three, "COMPRESS=DEFLATE", "INTERLEAVE=BAND", *tiles(32), block=4 + 3, at=(1, 1), band=2)
    spoilt("damaged-pixel.tif", "a damaged tile that holds three bands", three, "COMPRESS=DEFLATE", "INTERLEAVE=PIXEL", *tiles(32), block=3, at=(1, 1))
    spoilt("beyond-end.tif", "a tile said to lie beyond the end of the file", u, "COMPRESS=DEFLATE", *tiles(32), block=3, at=(0, 1), do=lambda t, i: t.move(i, len(t.bytes) + 1000))

    def quiet(name, what, values, *options, block, at):
        """Changes a byte of a block so that GDAL reads other pixels and says nothing."""
        path = f.to / name
        tiff(path, values[None], *options)
        sound = path.read_bytes()
        first, n = Tiff(path).block(block)
        for i in range(first + 2, first + n - 4):
            path.write_bytes(sound[:i] + bytes([sound[i] ^ 0x10]) + sound[i + 1 :])
            if not broken(path) and not np.array_equal(gdal.Open(str(path)).ReadAsArray(), values):
                fails(path, what, values[None], at, quiet=True)
                return
        raise SystemExit(f"fixtures: {name}: no byte does it with this GDAL")

    # libtiff 4.5 stops once a block is full, and never looks at the checksum at
    # the end of zlib's data, which alone tells.
    quiet("damaged-quiet.tif", "a damaged tile that GDAL takes for whole", u, "COMPRESS=DEFLATE", *tiles(32), block=4, at=(1, 1))
    quiet("damaged-quiet-predictor-2.tif", "a damaged tile that GDAL takes for whole, predictor 2", u, "COMPRESS=DEFLATE", "PREDICTOR=2", *tiles(32), block=4, at=(1, 1))
    quiet("damaged-quiet-strips.tif", "a damaged strip that GDAL takes for whole", u, "COMPRESS=DEFLATE", *strips(8), block=3, at=(0, 3))

    def cut(name, keep, *write):
        path = f.to / name
        tiff(path, u[None, :32, :48], *write)
        t = Tiff(path)
        del t.bytes[keep(t) :]
        t.save(path)
        return path

    for name, what, write in ("cut-off.tif", "the end is cut off", ("COMPRESS=DEFLATE", *tiles(16))), ("cut-off-none.tif", "the end is cut off, not compressed", tiles(16)):
        path = cut(name, lambda t: t.block(5)[0] + t.block(5)[1] // 2, *write)
        assert broken(path) == [(1, 2, 1)], broken(path)
        fails(path, what, u[None, :32, :48], (2, 1))

    def claims(name, tags, values, *options):
        """A file whose directory says something else than it holds."""
        path = f.to / name
        tiff(path, values, *options)
        t = Tiff(path)
        for tag, value in tags.items():
            t.set(tag, value)
        t.save(path)
        return path

    path = claims("table-short.tif", {HEIGHT: 5000}, u[None], "COMPRESS=DEFLATE", *strips(8))
    f.fails(path.name, "more strips than the table of strips tells of", "open", says="its table of blocks is damaged: of where they are, it tells 7, and there should be 625")
    path = claims("damaged-samples.tif", {SAMPLES: 1}, np.stack([u % 251] * 3).astype(np.uint8), "COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", *tiles(32))
    assert len(broken(path)) == 6
    f.fails(path.name, "JPEG of three colours said to be one band, on which GDAL's threads crash", "read", says="damaged or cut short", needs="JPEG")
    path = claims("tile-huge.tif", dict.fromkeys(TILE, 65520), u[None, :30, :30], "COMPRESS=DEFLATE", *tiles(32))
    f.fails(path.name, "a tile of 8 GB in a raster of 30 x 30", "read", says="far larger than itself")
    path = f.to / "sidecar-damaged.tif"
    tiff(path, u[None], "COMPRESS=DEFLATE", *tiles(32), nodata=13)
    Path(f"{path}.aux.xml").write_text("<PAMDataset><PAMRasterBand", "utf-8")
    assert opens(path)
    f.fails(path.name, "what is said of it beside the file (.aux.xml) is damaged", "open", says="beside it, which may tell nodata and scale, cannot be read")
    path = cut("cut-head.tif", lambda t: t.at + 20, "COMPRESS=DEFLATE")
    assert not opens(path)
    f.fails(path.name, "nothing but the start", "open", says="cut short")

    for name, what, number in ("codec-jpeg2000.tif", "JPEG 2000 in a TIFF, which GDAL has no codec for", 34712), ("codec-unknown.tif", "a codec that does not exist", 64999):
        path = claims(name, {COMPRESSION: number}, u[None], "COMPRESS=DEFLATE", *tiles(32))
        assert not opens(path), name
        f.fails(name, what, "open", says="missing codec")

    for name, what, content, says in ("empty.tif", "an empty file", b"", "empty"), ("text.tif", "a text", b"id,name\n1,not a raster\n", "not recognised"):
        (f.to / name).write_bytes(content)
        assert not opens(f.to / name)
        f.fails(name, what, "open", says=says)
