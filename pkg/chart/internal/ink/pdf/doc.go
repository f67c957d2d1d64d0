// Package pdf draws one page of a PDF through gonum's vg: text as text, each letter where its font and
// the kerning put it, with the letters that are needed of each font in the file. Why it is code of our
// own is told in package ink.
package pdf
