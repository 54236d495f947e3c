// Package browser holds the tests that look at a page in headless Chromium: charts, filters,
// keyboard, languages, themes, hostile names, and that nothing is fetched.
//
// They are skipped where no Chromium is found, unless SERVEMATRIX_BROWSER=required.
// SERVEMATRIX_SCREENSHOTS names a folder in which the pictures of a run are kept.
package browser
