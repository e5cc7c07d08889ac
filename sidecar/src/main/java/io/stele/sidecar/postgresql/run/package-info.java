/** The execution of fixed plans on the engine, inside and outside transactions. */
@NullMarked
package io.stele.sidecar.postgresql.run;

import org.jspecify.annotations.NullMarked;
