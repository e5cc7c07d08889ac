/** The page store of segment files: units in large files, an index in memory, a journal. */
@NullMarked
package io.stele.cache.page.segment;

import org.jspecify.annotations.NullMarked;
