// Package browser holds the tests that look at a page in headless Chromium: charts, filters,
// keyboard, languages, themes, hostile names, that nothing is fetched, and how a live page grows.
//
// They are skipped where no Chromium is found, unless SERVEMATRIX_BROWSER=required.
// SERVEMATRIX_SCREENSHOTS names a folder in which the pictures of a run are kept.
package browser
