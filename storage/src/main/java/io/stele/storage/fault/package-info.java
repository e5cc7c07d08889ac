/** Simulated crashes, shared by the fault-injecting stores and log files. */
@NullMarked
package io.stele.storage.fault;

import org.jspecify.annotations.NullMarked;
