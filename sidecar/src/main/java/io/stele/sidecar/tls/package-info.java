/** Transport encryption of the Flight and framed doors. */
@NullMarked
package io.stele.sidecar.tls;

import org.jspecify.annotations.NullMarked;
