/** Column shard files: plain ORC, written from and read back to binary rows. */
@NullMarked
package io.stele.storage.orc;

import org.jspecify.annotations.NullMarked;
