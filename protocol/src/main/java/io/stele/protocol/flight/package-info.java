/** Arrow Flight over plain gRPC: messages, methods and errors, for clients and servers alike. */
@NullMarked
package io.stele.protocol.flight;

import org.jspecify.annotations.NullMarked;
