/** The state of one client: its settings, prepared statements, portals and transaction. */
@NullMarked
package io.stele.sidecar.postgresql.session;

import org.jspecify.annotations.NullMarked;
