/** Execution contexts and scheduling groups; it does not depend on storage. */
@NullMarked
package io.stele.scheduler;

import org.jspecify.annotations.NullMarked;
