package notebook

import (
	"path/filepath"

	"overlap/pkg/internal/home"
)

// Path returns the path of a file of the repository, given as below its root and
// with slashes: "data/published.csv". So a notebook that is copied elsewhere, or
// whose kernel was started there, still finds it. Where the repository is not
// found the program ends, as with [Must].
func Path(name string) string {
	return filepath.Join(Must(home.Root()), filepath.FromSlash(name))
}
