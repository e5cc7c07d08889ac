/** Arrow Flight over plain gRPC: messages, methods, and a client. */
@NullMarked
package io.stele.protocol.flight;

import org.jspecify.annotations.NullMarked;
