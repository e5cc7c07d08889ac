/**
 * The client's side of authentication: tokens of the shared secret, and whom TLS trusts.
 *
 * <p>Everything that connects to a sidecar calls it. It touches files of certificates only.
 */
@NullMarked
package io.stele.client.auth;

import org.jspecify.annotations.NullMarked;
