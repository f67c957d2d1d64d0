package where

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// hiddenValue stands where a login or a key was.
const hiddenValue = "…"

// Shown returns a path as errors, results and pictures may show it: without what lets others in.
// That is the login of an address and the values of its query, where signed addresses and services
// have their keys; numbers and names of files are left, as they are often what tells two addresses
// apart.
func Shown(path string) string {
	if options, ok := strings.CutPrefix(path, "/vsicurl?"); ok {
		return "/vsicurl?" + shownQuery(options)
	}
	at := AnyScheme.FindStringIndex(path)
	if at == nil || !IsRemote(path) && CloudName(path) == "" {
		return path // perhaps a file of this machine with an odd name
	}
	return path[:at[0]] + shownAddress(path[at[0]:])
}

func shownAddress(address string) string {
	scheme := AnyScheme.FindString(address)
	rest := address[len(scheme):]
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, rest := rest[:end], rest[end:]
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = hiddenValue + host[at:]
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, asked := strings.Cut(rest, "?")
	if asked {
		rest += "?" + shownQuery(query)
	}
	if fragment != "" {
		rest += "#" + hiddenValue
	}
	return scheme + host + rest
}

func shownQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, p := range parts {
		key, value, found := strings.Cut(p, "=")
		switch plain, err := url.QueryUnescape(value); {
		case !found && harmless(key), found && value == "":
		case !found:
			parts[i] = hiddenValue
		case key == "url" && err == nil && Scheme(plain) != "":
			parts[i] = key + "=" + shownAddress(plain)
		case !harmless(value) || secretKey.MatchString(key):
			parts[i] = key + "=" + hiddenValue
		}
	}
	return strings.Join(parts, "&")
}

// harmless reports whether a value is a number, a list of them such as a box, or the name of a
// file.
func harmless(value string) bool { return plainValue.MatchString(value) }

var (
	plainValue = regexp.MustCompile(`^(?:[-+0-9.,:]{1,12}|[-+]?[0-9.]{1,12}(?:,[-+]?[0-9.]{1,12}){1,5}|` +
		`[\pL\pN_.-]{1,64}\.(?i:tiff?|vrt|jp2|nc|png|jpe?g|zip))$`)
	secretKey = regexp.MustCompile(`(?i)key|token|sig|sec|pass|pwd|pw$|auth|cred|code|pin|user|session|sid|jwt|login`)
	AnyScheme = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://`)
	addressIn = regexp.MustCompile(`(?i)\b(?:https?|ftps?|sftp)://[^\s"'<>]+`)
)

// ShownIn returns what others say of a path, with each address in it as [Shown] has it.
func ShownIn(text, path string) string {
	for _, address := range []string{WebAddress(path), path} {
		if address != "" && address != Shown(address) {
			text = strings.ReplaceAll(text, address, Shown(address))
		}
	}
	return addressIn.ReplaceAllStringFunc(text, shownAddress)
}

// BaseName returns the name of a file without its folders, and that of an address with its query,
// as it may be shown.
func BaseName(name string) string {
	if !IsRemote(name) {
		return filepath.Base(name)
	}
	name, query, asked := strings.Cut(Shown(name), "?")
	name = path.Base(name)
	if asked {
		name += "?" + query
	}
	return name
}
