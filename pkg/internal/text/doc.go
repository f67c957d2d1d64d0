// Package text writes what people read: numbers and times, words with their number, tables, and all
// of that as Markdown.
package text
