/** Reading a shard's rows at a snapshot. */
@NullMarked
package io.stele.storage.scan;

import org.jspecify.annotations.NullMarked;
