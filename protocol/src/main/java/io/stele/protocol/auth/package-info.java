/** Who may speak to a sidecar: shared-secret tokens. */
@NullMarked
package io.stele.protocol.auth;

import org.jspecify.annotations.NullMarked;
