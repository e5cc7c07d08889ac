/**
 * Access control: which users of the password file may read and change which tables. Every port
 * asks {@link io.stele.sidecar.access.AccessControl} before it reads or changes rows for a user; it
 * knows no port.
 */
@NullMarked
package io.stele.sidecar.access;

import org.jspecify.annotations.NullMarked;
