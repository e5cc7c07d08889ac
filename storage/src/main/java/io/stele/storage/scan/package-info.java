/** Reading a shard's rows at a read point. */
@NullMarked
package io.stele.storage.scan;

import org.jspecify.annotations.NullMarked;
