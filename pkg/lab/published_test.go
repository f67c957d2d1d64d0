package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadPublished(t *testing.T) {
	const head = "experiment,variant,run,milliseconds,conditions\n"
	for name, tc := range map[string]struct {
		file string
		want string // part of the error, empty for none
	}{
		"good":          {head + "e,fast,1,10,\"a, b\"\ne,slow,1,20,\nother,x,1,5,\n", ""},
		"byte order":    {"\ufeff" + head + "e,fast,1,10,\n", ""},
		"a speedup":     {"experiment,variant,run,milliseconds,conditions,speedup\ne,fast,1,,,2.5\n", ""},
		"empty":         {"", "the file is empty"},
		"no column":     {"experiment,variant\ne,f\n", `no column "run"`},
		"not a number":  {head + "e,fast,1,ten,\n", `line 2: milliseconds is "ten"`},
		"not positive":  {head + "e,fast,1,-4,\n", `line 2: milliseconds is "-4"`},
		"nothing":       {head + "e,fast,1,,\n", "line 2 has neither"},
		"odd run":       {head + "e,fast,a,1,\n", `run is "a"`},
		"other":         {head + "other,fast,1,10,\n", "experiments there: other"},
		"ragged":        {head + "e,fast,1\n", "wrong number of fields"},
		"not a number2": {head + "e,fast,1,NaN,\n", `"NaN"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.csv")
			if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			rows, err := ReadPublished(path, "e")
			switch {
			case tc.want == "" && (err != nil || len(rows) == 0):
				t.Errorf("%d rows, %v", len(rows), err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(),
				path)):
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
	if _, err := ReadPublished(t.TempDir(), "e"); err == nil {
		t.Error("a folder was read")
	}
}

func TestPublishedTable(t *testing.T) {
	r := &Result{Name: "Primes"}
	for i := range 2 {
		t := Trial{Variant: "event loop", Size: 10000, Round: i + 1}
		t.Wall = 7 * time.Millisecond
		r.Trials = append(r.Trials, t)
	}
	rows := []PublishedRow{
		{Variant: "one", Milliseconds: 1000},
		{Variant: "many", Milliseconds: 100},
		{Variant: "one", Milliseconds: 1200},
	}
	got := PublishedTable(r, 10000, rows, map[string]string{"one": "event loop"})
	if len(got.Rows) != 2 || got.Rows[0][1] != "1,000  1,200" || got.Rows[0][2] != "event loop" ||
		len(strings.Fields(got.Rows[0][3])) != 2 ||
		got.Rows[1][3] != "" {
		t.Errorf("%q", got.Rows)
	}
	if got := PublishedTable(nil, 1, rows, nil); len(got.Rows) != 0 {
		t.Errorf("%q", got.Rows)
	}
}
