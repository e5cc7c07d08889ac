/** The framed server: pipelined writes and multi-gets of the Java client. */
@NullMarked
package io.stele.sidecar.framed;

import org.jspecify.annotations.NullMarked;
