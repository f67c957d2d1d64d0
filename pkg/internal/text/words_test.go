package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "pool": "Pool", "Pool": "Pool", "été": "Été", "über": "Über", "한글 읽기": "한글 읽기", "3 tasks": "3 tasks",
		"\xff": "\xff",
	} {
		if got := Capital(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		_, first := utf8.DecodeRuneInString(text)
		if got := Capital(text); !utf8.ValidString(got) || !strings.HasSuffix(got, text[first:]) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestCounted(t *testing.T) {
	for _, test := range []struct {
		n    int
		unit string
		want string
	}{
		{1, "rasters", "1 raster"}, {2, "rasters", "2 rasters"}, {0, "tasks", "0 tasks"}, {1, "entries", "1 entry"},
		{10000, "tasks", "10,000 tasks"}, {1, "", "1"}, {11, "tasks", "11 tasks"},
	} {
		if got := Counted(test.n, test.unit); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "pool(2)": 7, "한글 이름": 9, "\u1112\u1161\u11ab": 2, "e\u0301": 1,
		"素数": 4, "μs": 2, "95 – 5": 6, "🐢": 2} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

func TestTableLinesUp(t *testing.T) {
	got := Table{Head: []string{"variant", "time"}, Rows: [][]string{{"가상 스레드", "5 ms"}, {"a\nb", "12 ms"}}}.String()
	if want := "variant       time\n가상 스레드   5 ms\na b          12 ms\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
