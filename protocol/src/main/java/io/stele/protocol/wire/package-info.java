/** The framed protocol: frames, messages and write batches, byte by byte (docs/protocol.md). */
@NullMarked
package io.stele.protocol.wire;

import org.jspecify.annotations.NullMarked;
