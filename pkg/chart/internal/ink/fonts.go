package ink

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
)

// system are the fonts of the machine, looked for when the first letter needs one.
var system = systemFonts{dirs: fontDirs}

// systemFonts finds fonts for letters that the built-in font lacks. It may be used from several
// goroutines.
type systemFonts struct {
	dirs func() []string

	mu     sync.Mutex
	looked bool
	files  []fontFile
	byRune map[rune]*fontFile // nil: no font has it
}

// SearchIn lets fonts be looked for below some folders and no others, until what it returns is called:
// for tests, which are to find the same on every machine.
func SearchIn(dirs ...string) (restore func()) {
	set := func(dirs func() []string) (was func() []string) {
		system.mu.Lock()
		defer system.mu.Unlock()
		was, system.dirs, system.looked = system.dirs, dirs, false
		return was
	}
	was := set(func() []string { return dirs })
	return func() { set(was) }
}

// A fontFile is a font that may have letters we need, read when it is asked for the first time.
type fontFile struct {
	regular, bold string // paths; bold can be empty
	family        font.Typeface
	fonts         [2]*opentype.Font // regular, bold
	failed        bool
}

// preferred are file names of fonts that have many letters, best first: Korean ones, then those for all
// of CJK, then symbols. A star at a name's end stands for whatever follows.
var preferred = []struct{ regular, bold string }{
	{"NanumGothic.ttf", "NanumGothicBold.ttf"},
	{"NanumBarunGothic.ttf", "NanumBarunGothicBold.ttf"},
	{"NotoSansKR-Regular.otf", "NotoSansKR-Bold.otf"},
	{"NotoSansKR-Regular.ttf", "NotoSansKR-Bold.ttf"},
	{"NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"},
	{"NotoSansCJKkr-Regular.otf", "NotoSansCJKkr-Bold.otf"},
	{"AppleSDGothicNeo.ttc", ""},
	{"malgun.ttf", "malgunbd.ttf"},
	{"Arial Unicode.ttf", ""},
	{"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"},
	{"msyh.ttc", "msyhbd.ttc"},
	{"meiryo.ttc", "meiryob.ttc"},
	{"segoeui.ttf", "segoeuib.ttf"},
	{"seguisym.ttf", ""},
	{"Symbola.ttf", ""},
	{"Symbola_hint.ttf", ""},
	{"FreeSans.ttf", "FreeSansBold.ttf"},
	{"NotoSans*", ""},
}

// with returns the face of f's size and weight that has r, if there is one.
func (s *systemFonts) with(r rune, f font.Font) (font.Face, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.looked {
		s.looked = true
		s.files = append(namedFonts(), findFonts(s.dirs())...)
		s.byRune = map[rune]*fontFile{}
	}
	file, ok := s.byRune[r]
	if !ok {
		for i := range s.files {
			if t := s.files[i].face(false); t != nil && has(t, r) {
				file = &s.files[i]
				break
			}
		}
		s.byRune[r] = file
	}
	if file == nil {
		return font.Face{}, false
	}
	bold := f.Weight >= stdfont.WeightSemiBold
	t := file.face(bold)
	if t == nil || !has(t, r) {
		t, bold = file.face(false), false
	}
	out := font.Font{Typeface: file.family, Size: f.Size}
	if bold {
		out.Weight = stdfont.WeightBold
	}
	return font.Face{Font: out, Face: t}, true
}

func (f *fontFile) face(bold bool) *opentype.Font {
	i, path := 0, f.regular
	if bold && f.bold != "" {
		i, path = 1, f.bold
	}
	if f.fonts[i] == nil && !f.failed {
		t, err := readFont(path)
		if err != nil {
			f.failed = i == 0
			return f.fonts[0]
		}
		f.fonts[i] = t
	}
	return f.fonts[i]
}

// readFont reads a font file, or the first font of a collection.
func readFont(path string) (*opentype.Font, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if c, err := opentype.ParseCollection(data); err == nil && c.NumFonts() > 0 {
		return c.Font(0)
	}
	t, err := opentype.Parse(data)
	if err != nil {
		return nil, err
	}
	var buf sfnt.Buffer
	if _, err := t.GlyphIndex(&buf, 'a'); err != nil {
		return nil, err
	}
	return t, nil
}

// FontVariable is the environment's variable that names font files to use before others for letters
// that the built-in font lacks, separated as PATH is.
const FontVariable = "OVERLAP_FONT"

func namedFonts() []fontFile {
	var out []fontFile
	for _, path := range filepath.SplitList(os.Getenv(FontVariable)) {
		if path != "" {
			out = append(out, fontFile{regular: path, family: typeface(path)})
		}
	}
	return out
}

// badFonts says which of the named fonts cannot be used.
func badFonts() []string {
	var out []string
	for _, f := range namedFonts() {
		if _, err := readFont(f.regular); err != nil {
			out = append(out, fmt.Sprintf("chart: %s names %q, which cannot be used: %v; "+
				"give the path of a TrueType or OpenType file", FontVariable, f.regular, err))
		}
	}
	return out
}

// findFonts looks for the preferred fonts below the folders.
func findFonts(dirs []string) []fontFile {
	paths := map[string]string{} // file name in lower case to path
	var noto []string
	for _, d := range dirs {
		// What cannot be read has no fonts for us.
		_ = filepath.WalkDir(d, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			name := strings.ToLower(e.Name())
			if _, ok := paths[name]; !ok {
				paths[name] = path
				if strings.HasPrefix(name, "notosans") && strings.HasSuffix(name, "-regular.ttf") {
					noto = append(noto, path)
				}
			}
			return nil
		})
	}
	var out []fontFile
	for _, p := range preferred {
		if p.regular == "NotoSans*" {
			for _, path := range noto {
				out = append(out, fontFile{regular: path, family: typeface(path)})
			}
			continue
		}
		if path, ok := paths[strings.ToLower(p.regular)]; ok {
			out = append(out, fontFile{regular: path, bold: paths[strings.ToLower(p.bold)], family: typeface(path)})
		}
	}
	return out
}

func typeface(path string) font.Typeface {
	name := filepath.Base(path)
	return font.Typeface(strings.TrimSuffix(name, filepath.Ext(name)))
}

// fontDirs returns where the system keeps fonts.
func fontDirs() []string {
	home, _ := os.UserHomeDir() // without one there are no fonts in it
	var dirs []string
	switch runtime.GOOS {
	case "darwin":
		dirs = []string{"/System/Library/Fonts", "/Library/Fonts"}
		if home != "" {
			dirs = append(dirs, filepath.Join(home, "Library", "Fonts"))
		}
	case "windows":
		if w := os.Getenv("WINDIR"); w != "" {
			dirs = append(dirs, filepath.Join(w, "Fonts"))
		}
		if l := os.Getenv("LOCALAPPDATA"); l != "" {
			dirs = append(dirs, filepath.Join(l, "Microsoft", "Windows", "Fonts"))
		}
	default:
		dirs = []string{"/usr/share/fonts", "/usr/local/share/fonts"}
		if home != "" {
			dirs = append(dirs, filepath.Join(home, ".local", "share", "fonts"), filepath.Join(home, ".fonts"))
		}
	}
	return dirs
}

// remedy says what to install for letters that no font has. Fonts of coloured pictures would not help:
// they have no outlines.
func remedy(lost []rune) string {
	packages := map[string]bool{}
	for _, r := range lost {
		switch {
		case unicode.In(r, unicode.Hangul):
			packages["fonts-nanum"] = true
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			packages["fonts-noto-cjk"] = true
		case unicode.In(r, unicode.S):
			packages["fonts-symbola"] = true
		default:
			packages["fonts-dejavu-core"], packages["fonts-noto-core"] = true, true
		}
	}
	return "Debian: " + strings.Join(slices.Sorted(maps.Keys(packages)), ", ")
}
