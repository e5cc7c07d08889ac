/**
 * Authentication of the sidecar's clients: the shared secret, checked the same way at every port.
 */
@NullMarked
package io.stele.sidecar.auth;

import org.jspecify.annotations.NullMarked;
