// Package where knows names: of files, of addresses, and of GDAL's own file systems. It asks no
// server and calls no C.
//
// file.go finds a file or says what is wrong with its name, nearby.go which other name may be
// meant, and unknown.go what a file is that is no raster. address.go tells remote names from others
// and turns them into GDAL's; shown.go takes logins and keys out of what is shown.
package where
