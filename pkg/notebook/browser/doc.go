// Package browser tests notebooks as people use them: a headless Chromium opens
// Jupyter as scripts/lab starts it, runs cells, moves controls and interrupts.
//
// The tests need Chromium, Jupyter and a kernel that scripts/lab set up, and so
// have the build tag browser: scripts/test runs them, and scripts/test --browser
// them alone.
package browser
