/** Transport encryption of the Flight and framed ports. */
@NullMarked
package io.stele.sidecar.tls;

import org.jspecify.annotations.NullMarked;
