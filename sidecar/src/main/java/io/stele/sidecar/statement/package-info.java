/**
 * Statistics of SQL statements by their fingerprint, for all SQL endpoints of the sidecar, and the
 * log of slow ones.
 */
@NullMarked
package io.stele.sidecar.statement;

import org.jspecify.annotations.NullMarked;
