/**
 * Arrow IPC without the Arrow library: schemas and record batches, encoded and decoded on plain
 * byte buffers.
 */
@NullMarked
package io.stele.protocol.arrow;

import org.jspecify.annotations.NullMarked;
