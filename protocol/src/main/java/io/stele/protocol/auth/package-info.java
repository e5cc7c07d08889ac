/** Authentication of clients by sidecars: shared-secret tokens. */
@NullMarked
package io.stele.protocol.auth;

import org.jspecify.annotations.NullMarked;
