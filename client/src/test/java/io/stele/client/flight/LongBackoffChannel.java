package io.stele.client.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A channel that after a failed attempt to connect makes no other one by itself, as one does for
 * minutes that was away for long. Thread-safe.
 */
final class LongBackoffChannel extends ManagedChannel {
    private final ManagedChannel channel;
    private final ManagedChannel refused;
    private final List<Runnable> waiting = new ArrayList<>(); // guarded by this
    private boolean isBackingOff; // guarded by this

    /**
     * @param channel that connects
     * @param refused a channel to a port without a listener, whose calls fail
     */
    LongBackoffChannel(ManagedChannel channel, ManagedChannel refused) {
        this.channel = requireNonNull(channel, "channel is null");
        this.refused = requireNonNull(refused, "refused is null");
    }

    @Override
    public synchronized ConnectivityState getState(boolean requestConnection) {
        if (!isBackingOff) {
            ConnectivityState state = channel.getState(requestConnection);
            isBackingOff = state == ConnectivityState.TRANSIENT_FAILURE;
        }
        return isBackingOff ? ConnectivityState.TRANSIENT_FAILURE : channel.getState(false);
    }

    @Override
    public synchronized void notifyWhenStateChanged(ConnectivityState source, Runnable callback) {
        if (isBackingOff && source == ConnectivityState.TRANSIENT_FAILURE) {
            waiting.add(callback);
        } else {
            channel.notifyWhenStateChanged(source, callback);
        }
    }

    @Override
    public void resetConnectBackoff() {
        channel.notifyWhenStateChanged(ConnectivityState.TRANSIENT_FAILURE, this::tryAgain);
        channel.resetConnectBackoff();
    }

    private void tryAgain() {
        List<Runnable> callbacks;
        synchronized (this) {
            isBackingOff = false;
            callbacks = List.copyOf(waiting);
            waiting.clear();
        }
        callbacks.forEach(Runnable::run);
    }

    @Override
    public <RequestT, ResponseT> ClientCall<RequestT, ResponseT> newCall(
            MethodDescriptor<RequestT, ResponseT> method, CallOptions options) {
        return getState(true) == ConnectivityState.TRANSIENT_FAILURE
                ? refused.newCall(method, options)
                : channel.newCall(method, options);
    }

    @Override
    public String authority() {
        return channel.authority();
    }

    @Override
    public ManagedChannel shutdown() {
        refused.shutdown();
        channel.shutdown();
        return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
        refused.shutdownNow();
        channel.shutdownNow();
        return this;
    }

    @Override
    public boolean isShutdown() {
        return channel.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return channel.isTerminated() && refused.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return channel.awaitTermination(timeout, unit) && refused.awaitTermination(timeout, unit);
    }
}
