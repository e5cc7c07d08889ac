/** The rows of COPY: text, CSV and binary. */
@NullMarked
package io.stele.sidecar.postgresql.copy;

import org.jspecify.annotations.NullMarked;
