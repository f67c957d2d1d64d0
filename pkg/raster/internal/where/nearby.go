package where

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nearbyLimit is how many names of a folder are looked at.
const nearbyLimit = 10_000

// nearby returns the name in a folder that one which is not there may be meant for: one that
// differs in the case of letters, in the Unicode form (macOS takes 가 apart, most other systems do
// not), or in what follows the last point. It returns "" where there is none.
func nearby(path string) string {
	dir, name := filepath.Split(path)
	if name == "" {
		return ""
	}
	stem := func(s string) string { return strings.TrimSuffix(s, filepath.Ext(s)) }
	found := ""
	for _, other := range namesIn(dir) {
		switch {
		case foldedName(other) == foldedName(name):
			return other
		case found == "" && foldedName(stem(other)) == foldedName(stem(name)) && isRasterName(other):
			found = other
		}
	}
	return found
}

// namesIn returns the names in a folder, as many as can be read.
func namesIn(dir string) []string {
	if dir == "" {
		dir = "."
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() { // to open a pipe would wait
		return nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(nearbyLimit)
	return names
}

// foldedName is what names have in common that differ in case or Unicode form alone.
func foldedName(name string) string {
	return norm.NFC.String(strings.Map(unicode.ToLower, name))
}

// isRasterName reports whether a name ends as those of rasters do, and not as those beside them.
func isRasterName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".tif", ".tiff", ".vrt", ".png", ".jpg", ".jp2", ".img", ".nc", ".asc", ".gtx":
		return true
	}
	return false
}

// nearbyHint says which name may be meant.
func nearbyHint(path string) string {
	other := nearby(path)
	if other == "" {
		return ""
	}
	if norm.NFC.String(other) == norm.NFC.String(filepath.Base(path)) {
		return "its folder has a file of this name in another form of Unicode; take the name from os.ReadDir, and not " +
			"from the keyboard"
	}
	return "its folder has " + strconv.Quote(other)
}
