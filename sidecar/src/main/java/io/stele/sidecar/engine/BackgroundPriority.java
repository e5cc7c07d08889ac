package io.stele.sidecar.engine;

import io.airlift.log.Logger;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;

/**
 * A factory of background threads with low priority: if cores are scarce, flushes and compactions
 * run while writes and reads wait for the disk or the network. A flush that falls behind makes
 * writers wait, so the flush gets its share in the end.
 *
 * <p>Linux has a niceness for each thread, and {@code setpriority} of "process" 0 sets the calling
 * thread's; the JDK offers only priorities that Linux ignores. On other systems, threads keep their
 * priority.
 */
final class BackgroundPriority {
    private static final Logger log = Logger.get(BackgroundPriority.class);

    // A third of the weight of an ordinary thread.
    private static final int NICENESS = 5;
    private static final int PRIO_PROCESS = 0;
    private static final int CALLING_THREAD = 0;

    private BackgroundPriority() {}

    /** Threads of {@code factory} that lower their priority before they do anything else. */
    static ThreadFactory lowered(ThreadFactory factory) {
        return task ->
                factory.newThread(
                        () -> {
                            lower();
                            task.run();
                        });
    }

    private static void lower() {
        if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux")) {
            return;
        }
        try {
            Linker linker = Linker.nativeLinker();
            MethodHandle setPriority =
                    linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("setpriority"),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT));
            int result = (int) setPriority.invokeExact(PRIO_PROCESS, CALLING_THREAD, NICENESS);
            if (result != 0) {
                log.debug("The priority of a background thread could not be lowered");
            }
        } catch (Throwable e) {
            // Native access may be forbidden: such a thread is as important as the others.
            log.debug(e, "The priority of a background thread could not be lowered");
        }
    }
}
