/** Who may talk to the sidecar: the shared secret, checked the same way behind every door. */
@NullMarked
package io.stele.sidecar.auth;

import org.jspecify.annotations.NullMarked;
