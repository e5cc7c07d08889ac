/** Execution contexts and scheduling groups; knows nothing of tablets. */
@NullMarked
package io.stele.scheduler;

import org.jspecify.annotations.NullMarked;
