package io.stele.objectstore.retrieval;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Objects in memory that are read by threads, may be held back, fail and change. Thread-safe. */
final class GatedStore implements RangeSource {
    private final ExecutorService threads;
    private final Map<String, byte[]> objects = new HashMap<>(); // guarded by this
    private final Map<String, Integer> versions = new HashMap<>(); // guarded by this
    private final Random random = new Random(11); // guarded by this
    private CountDownLatch gate = new CountDownLatch(0); // guarded by this
    private int requests; // guarded by this
    private int cancelled; // guarded by this
    volatile double failures;
    volatile int changes;

    GatedStore(ExecutorService threads) {
        this.threads = threads;
    }

    synchronized void put(String object, byte[] content) {
        objects.put(object, content.clone());
        versions.merge(object, 1, Integer::sum);
    }

    synchronized byte[] content(String object) {
        return objects.get(object).clone();
    }

    /** Requests wait from now on, until the latch is counted down. */
    synchronized CountDownLatch hold() {
        gate = new CountDownLatch(1);
        return gate;
    }

    synchronized int requests() {
        return requests;
    }

    synchronized int cancelled() {
        return cancelled;
    }

    synchronized void awaitRequests(int count) throws InterruptedException {
        while (requests < count) {
            wait();
        }
    }

    @Override
    public Attempt start(RangeRequest request, Listener listener) {
        AtomicBoolean begun = new AtomicBoolean();
        CountDownLatch present;
        byte[] content;
        String tag;
        boolean fails;
        int failsAt;
        synchronized (this) {
            requests++;
            notifyAll();
            present = gate;
            content = objects.get(request.object());
            tag = "v" + versions.get(request.object());
            fails = random.nextDouble() < failures;
            failsAt = random.nextInt(2);
            if (changes > 0 && request.range().offset() > 0) {
                changes--;
                byte[] changed = content.clone();
                changed[0]++;
                put(request.object(), changed);
            }
        }
        Future<?> task =
                threads.submit(
                        () -> {
                            try {
                                present.await();
                            } catch (InterruptedException e) {
                                // cancelled while it waited
                            }
                            if (begun.compareAndSet(false, true)) {
                                answer(request, listener, content, tag, fails, failsAt);
                            }
                        });
        return new Attempt() {
            @Override
            public void cancel() {
                if (begun.compareAndSet(false, true)) {
                    synchronized (GatedStore.this) {
                        cancelled++;
                    }
                    listener.failed(new IOException("cancelled"));
                }
                task.cancel(true);
            }

            @Override
            public long receivedBytes() {
                return 0;
            }
        };
    }

    private static void answer(
            RangeRequest request,
            Listener listener,
            byte[] content,
            String tag,
            boolean fails,
            int failsAt) {
        if (content == null) {
            listener.failed(new NoSuchFileException(request.object()));
            return;
        }
        int offset = (int) request.range().offset();
        int length = Math.min(request.range().length(), content.length - offset);
        if (length < 1) {
            listener.failed(new BehindEndException("behind"));
        } else if (length < request.range().length() && !request.mayBeShorter()) {
            listener.failed(new EOFException("short"));
        } else if (fails && failsAt == 0) {
            listener.failed(new TransientReadException("injected"));
        } else {
            try {
                ByteBuffer target = listener.begins(new ObjectVersion(content.length, tag), length);
                if (fails) {
                    target.put(new byte[length / 2]); // not the bytes that it has
                    listener.failed(new TransientReadException("injected"));
                } else {
                    target.put(content, offset, length);
                    listener.completed();
                }
            } catch (IOException e) {
                listener.failed(e);
            }
        }
    }
}
