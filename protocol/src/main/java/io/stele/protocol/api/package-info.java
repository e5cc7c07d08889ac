/** Requests, replies, tickets and descriptors of the Flight port, as JSON (docs/protocol.md). */
@NullMarked
package io.stele.protocol.api;

import org.jspecify.annotations.NullMarked;
