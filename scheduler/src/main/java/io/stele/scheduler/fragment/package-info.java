/** Fragments of a query that hand each other batches when asked to; knows nothing of rows. */
@NullMarked
package io.stele.scheduler.fragment;

import org.jspecify.annotations.NullMarked;
