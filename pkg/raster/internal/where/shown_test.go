package where

import (
	"net/url"
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	for path, want := range map[string]string{
		"a.tif":                             "a.tif",
		"dir/a?token=b#c@d.tif":             "dir/a?token=b#c@d.tif", // a file of this machine
		"https://example.org/a.tif":         "https://example.org/a.tif",
		"https://example.org:8443/a b.tif":  "https://example.org:8443/a b.tif",
		"https://me:pw@example.org/a.tif":   "https://…@example.org/a.tif",
		"HTTPS://token@example.org/a@b.tif": "HTTPS://…@example.org/a@b.tif",
		"https://me:p@w@example.org":        "https://…@example.org",
		"https://example.org/a.tif?run=1":   "https://example.org/a.tif?run=1",
		"https://example.org/get?id=12&bbox=-1.5,2,3,4.25&file=dem_1.tif":                                    "https://example.org/get?id=12&bbox=-1.5,2,3,4.25&file=dem_1.tif",
		"https://example.org/get?layer=hills&key=12&PIN=1234":                                                "https://example.org/get?layer=…&key=…&PIN=…",
		"https://example.org/a.tif?aGVsbG8=":                                                                 "https://example.org/a.tif?aGVsbG8=",
		"https://example.org/a.tif?aGVsbG8":                                                                  "https://example.org/a.tif?…",
		"https://example.org/a.tif?x=1#access_token=abc":                                                     "https://example.org/a.tif?x=1#…",
		"https://b.s3.amazonaws.com/a.tif?X-Amz-Date=20260101T000000Z&X-Amz-Expires=300&X-Amz-Signature=0af": "https://b.s3.amazonaws.com/a.tif?X-Amz-Date=…&X-Amz-Expires=300&X-Amz-Signature=…",
		"https://x.blob.core.windows.net/a.tif?sv=2021-08-06&sr=b&sig=a%2Bb%3D":                              "https://x.blob.core.windows.net/a.tif?sv=2021-08-06&sr=…&sig=…",
		"/vsicurl/https://me:pw@example.org/a.tif?t=abcdef":                                                  "/vsicurl/https://…@example.org/a.tif?t=…",
		"/vsizip//vsicurl/https://me:pw@example.org/a.zip/b.tif":                                             "/vsizip//vsicurl/https://…@example.org/a.zip/b.tif",
		"GTIFF_DIR:2:/vsicurl/https://me:pw@example.org/a.tif":                                               "GTIFF_DIR:2:/vsicurl/https://…@example.org/a.tif",
		"/vsicurl?max_retry=3&header.Authorization=Bearer%20abc&url=https%3A%2F%2Fme:pw@example.org%2Fa.tif": "/vsicurl?max_retry=3&header.Authorization=…&url=https://…@example.org/a.tif",
		"/vsicurl/ftp://me:pw@example.org/a.tif":                                                             "/vsicurl/ftp://…@example.org/a.tif",
		"ftp://me:pw@example.org/a.tif":                                                                      "ftp://…@example.org/a.tif",
		"/vsicurl_streaming/http://me@example.org/a?k=abc":                                                   "/vsicurl_streaming/http://…@example.org/a?k=…",
		"odd://me:pw@name":    "odd://me:pw@name",
		"/vsis3/bucket/a.tif": "/vsis3/bucket/a.tif",
	} {
		if got := Shown(path); got != want {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
		if again := Shown(Shown(path)); again != want {
			t.Errorf("%s, twice: %s", path, again)
		}
	}
	const path = "https://me:pw@example.org/a b.tif?token=abc"
	said := "HTTP response code on " + path + ": 404, see https://other.org/?token=def"
	if got, want := ShownIn(said, path), "HTTP response code on https://…@example.org/a b.tif?token=…: 404, see https://other.org/?token=…"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func FuzzShown(f *testing.F) {
	f.Add("example.org", "a.tif", "token", "s3cr3t+/=", "me")
	f.Add("127.0.0.1:80", "x/y z", "X-Amz-Signature", "0123456789", "a:b@c")
	f.Fuzz(func(t *testing.T, host, file, key, value, login string) {
		const canary = "HUSHHUSH"
		u := url.URL{Scheme: "https", Host: host, Path: "/" + file, User: url.UserPassword(login, canary)}
		u.RawQuery = url.Values{key: {value + canary}}.Encode()
		for _, path := range []string{u.String(), "/vsicurl/" + u.String(), "/vsicurl?url=" + url.QueryEscape(u.String())} {
			if strings.Contains(host+file+key, canary) || strings.ContainsAny(host, "/?#@ \\%") {
				t.Skip("it is in a part that is shown")
			}
			if got := Shown(path); strings.Contains(got, canary) && !strings.HasSuffix(strings.ToLower(value+canary), ".tif") {
				t.Errorf("%s is shown as %s", path, got)
			}
		}
	})
}
