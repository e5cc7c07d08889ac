/**
 * Numbers, bytes and bits written and read, and the error of damaged ones.
 *
 * <p>All formats of Stele's own may call it. It may touch protocol only.
 */
@NullMarked
package io.stele.columnfile.bytes;

import org.jspecify.annotations.NullMarked;
