"""What a right reader finds: computed from arrays, and compared with two readings."""

import hashlib
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import rasterio
from osgeo import gdal

from fixtures_tiff import PLANES, PREDICTOR, Tiff

gdal.UseExceptions()
warnings.filterwarnings("ignore")


def statistics(bands, outs, masked=False):
    """Of the pixels of some bands together. outs are true where a pixel is left
    out: for the value of nodata, or, if masked, by a mask."""
    found = dict.fromkeys(("pixels", "count", "nodata", "masked", "nan", "infinite"), 0)
    numbers = []
    for a, out in zip(bands, outs):
        v = a[~out]
        found["pixels"] += a.size
        found["masked" if masked else "nodata"] += int(out.sum())
        if v.dtype.kind == "f":
            found["nan"] += int(np.isnan(v).sum())
            found["infinite"] += int(np.isinf(v).sum())
            v = v[np.isfinite(v)]
        numbers += v.tolist()
    found["count"] = len(numbers)
    if numbers:
        whole = all(isinstance(n, int) for n in numbers)
        exact = sum(numbers) if whole else sum(map(Fraction, numbers), Fraction(0))
        found |= {"min": min(numbers), "max": max(numbers), "sum": exact if whole else float(exact)}
    return {k: n for k, n in found.items() if n or k == "count"}  # 0 goes without saying


def same(a, b):
    """Equal pixels; a NaN equals a NaN."""
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def md5(values):
    """Of the pixels in their own type, little-endian, row by row."""
    return hashlib.md5(np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()).hexdigest()


def by_gdal(path, level=None):
    """The bands and the masks (true where valid) as GDAL reads them; level
    None is full resolution."""
    ds = gdal.Open(path)
    bands, masks = [], []
    for i in range(ds.RasterCount):
        band = ds.GetRasterBand(i + 1)
        signed = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE"
        if level is not None:
            band = band.GetOverview(level)
        a = band.ReadAsArray()
        bands.append(a.view(np.int8) if signed else a)
        masks.append(band.GetMaskBand().ReadAsArray() != 0)
    return bands, masks


def by_rasterio(path, level=None):
    """The same as rasterio reads them."""
    options = {} if level is None else {"overview_level": level}
    with rasterio.open(path, **options) as ds:
        bands = [ds.read(i) for i in ds.indexes]
        # rasterio 1.3 takes GDAL's two integers of 64 bits for each other.
        if any(a.dtype.kind in "iu" and a.dtype.itemsize == 8 for a in bands):
            bands = [a.view(b.dtype) for a, b in zip(bands, by_gdal(path, level)[0])]
        return bands, [ds.read_masks(i) != 0 for i in ds.indexes]


def agree(path, bands, outs, level=None):
    """Raises where a reader does not find the pixels, or leaves out others."""
    for reader in by_gdal, by_rasterio:
        got, valid = reader(path, level)
        if len(got) != len(bands):
            raise SystemExit(f"fixtures: {path}: {reader.__name__} finds {len(got)} bands, not {len(bands)}")
        for i, (a, v, want, out) in enumerate(zip(got, valid, bands, outs), 1):
            if not same(a, want):
                raise SystemExit(f"fixtures: {path}: {reader.__name__} reads other pixels than were written in band {i} ({a.dtype} {a.shape}, {want.dtype} {want.shape})")
            if not np.array_equal(~v, out):
                raise SystemExit(f"fixtures: {path}: {reader.__name__} leaves out {int((~v).sum())} pixels of band {i}, not {int(out.sum())}")


def described(path):
    """What GDAL says of the file, and for a TIFF what its tags say."""
    ds = gdal.Open(path)
    band = ds.GetRasterBand(1)
    found = {
        "driver": ds.GetDriver().ShortName,
        "width": ds.RasterXSize,
        "height": ds.RasterYSize,
        "block": band.GetBlockSize(),
        "compression": ds.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") or ("none" if ds.GetDriver().ShortName == "GTiff" else ""),
        "georeferenced": ds.GetGeoTransform(can_return_null=True) is not None,
    }
    if ds.GetSubDatasets():
        found["parts"] = len(ds.GetSubDatasets())
    if found["driver"] == "GTiff" and not path.startswith("/vsi"):
        t = Tiff(Path(path))
        found["predictor"] = t.values(PREDICTOR)[0] if PREDICTOR in t.tags else 1
        found["interleaved"] = ds.RasterCount > 1 and t.values(PLANES)[0] == 1
    return found


def kind_of(band):
    """GDAL's name of the type; 3.6 calls signed bytes unsigned."""
    if band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE":
        return "Int8"
    return gdal.GetDataTypeName(band.DataType)


def mask_of(band):
    """What says which pixels are valid."""
    flags = band.GetMaskFlags()
    if flags & gdal.GMF_ALL_VALID:
        return ""
    if flags & gdal.GMF_NODATA and not flags & gdal.GMF_PER_DATASET:
        return "nodata"  # with both, several bands' values make it together
    if flags & gdal.GMF_ALPHA:
        return "alpha"
    return "dataset" if flags & gdal.GMF_PER_DATASET else "band"


def of_bands(path, values, outs, masked):
    """The truth of each band."""
    ds = gdal.Open(path)
    bands = []
    for i in range(ds.RasterCount):
        band = ds.GetRasterBand(i + 1)
        found = {"type": kind_of(band)} | statistics(values[i : i + 1], outs[i : i + 1], masked) | {"md5": md5(values[i])}
        if mask := mask_of(band):
            found["mask"] = mask
        nodata = band.GetNoDataValue()
        if nodata is not None:
            found["declared"] = str(nodata)
        if band.GetScale() not in (None, 1) or band.GetOffset() not in (None, 0):
            scale, offset = band.GetScale() or 1, band.GetOffset() or 0
            mean = Fraction(found.get("sum", 0)) / found["count"]
            scaled = [float(Fraction(v) * Fraction(scale) + Fraction(offset)) for v in (found.get("min", 0), found.get("max", 0), mean)]
            found |= {"scale": scale, "offset": offset, "scaled": sorted(scaled[:2]) + scaled[2:]}
        bands.append(found)
    return bands
