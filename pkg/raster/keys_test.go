package raster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
)

// No error, no description and no parameter that a result keeps has what lets others in.
func TestKeysAreNotShown(t *testing.T) {
	dir := hills(t)
	if err := os.WriteFile(filepath.Join(dir, "text.tif"), []byte("Dear reader,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serveFiles(t, dir)
	const login, key = "HUSHHUSH", "PSSTPSST"
	with := func(name string) string {
		return strings.Replace(s.File(name), "http://", "http://me:"+login+"@", 1) + "?X-Amz-Signature=" + key + "&" + key
	}
	check := func(what string, said any) {
		t.Helper()
		plain := fmt.Sprint(said)
		text, err := json.Marshal(said)
		if err != nil {
			t.Error(err)
		}
		for _, secret := range []string{login, key} {
			if strings.Contains(plain+string(text), secret) {
				t.Errorf("%s: %s %s", what, plain, text)
			}
		}
	}
	for _, name := range []string{"none.tif", "text.tif", "status/403/a.tif", "status/500/a.tif", "html/a.tif", "whole/a.tif", "cut/a.tif", "circle/a.tif", "gzip/a.tif", "length/a.tif"} {
		for way, read := range everyWay() {
			err := read(t.Context(), with(name))
			if err == nil && (name != "length/a.tif" && name != "cut/a.tif") { // of which some ways read no part that fails
				t.Errorf("%s of %s: no error", way, name)
			}
			for ; err != nil; err = errors.Unwrap(err) {
				check(way+" of "+name, err.Error())
				var remote *RemoteError
				if errors.As(err, &remote) {
					check(way+" of "+name, remote)
				}
			}
		}
	}
	gone := serveFiles(t, dir)
	gone.Close()
	_, err := Read(t.Context(), strings.Replace(gone.File("a.tif"), "http://", "http://me:"+login+"@", 1))
	check("nobody there", err.Error())
	for _, w := range []workload{WindowReads(with("a.tif"), with("b.tif")), WholeReads(with("a.tif")), CollectReads(with("a.tif")), ThreadReads(with("a.tif")), RandomReads(with("a.tif"))} {
		_, params := w.Spec()
		check("Spec", params)
		if !strings.Contains(params["files"], "a.tif") {
			t.Errorf("files %q", params["files"])
		}
	}
	info, err := Inspect(with("a.tif"))
	if err != nil {
		t.Fatal(err)
	}
	check("Inspect", info)
	check("Inspect", info.String())
}
