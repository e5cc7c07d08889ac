/**
 * Authentication of the sidecar's clients: the shared secret, checked the same way at every port,
 * and the users of the password file, whom the ports of SQL admit as well.
 */
@NullMarked
package io.stele.sidecar.auth;

import org.jspecify.annotations.NullMarked;
