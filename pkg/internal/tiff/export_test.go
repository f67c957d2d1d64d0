package tiff

// Offset is where a block begins in the file.
func Offset(f *File, block int) uint64 { return f.extents[block].at }
