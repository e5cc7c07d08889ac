/** Data files of a warehouse through pages on local disks. */
@NullMarked
package io.stele.storage.objectstore.cached;

import org.jspecify.annotations.NullMarked;
