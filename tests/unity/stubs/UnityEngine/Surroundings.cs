// The device, time, the log, HTTP and permissions. SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;
using System.Collections.Generic;
using UnityEngine.Rendering;

namespace UnityEngine
{
    public static class Time // SR Time
    {
        public static float unscaledDeltaTime { get; internal set; } // SR Time-unscaledDeltaTime

        public static int frameCount { get; internal set; } // SR Time-frameCount
    }

    public static class Debug // SR Debug
    {
        internal static readonly List<string> Lines = new List<string>();

        public static void Log(object message) // SR Debug.Log
        {
            Lines.Add("log " + message);
        }

        public static void LogWarning(object message) // SR Debug.LogWarning
        {
            Lines.Add("warning " + message);
        }

        public static void LogWarning(object message, Object context) // SR Debug.LogWarning
        {
            Lines.Add("warning " + message);
        }

        public static void LogError(object message) // SR Debug.LogError
        {
            Lines.Add("error " + message);
        }
    }

    public static class SystemInfo // SR SystemInfo
    {
        public static GraphicsDeviceType graphicsDeviceType // SR SystemInfo-graphicsDeviceType
        {
            get { return GraphicsDeviceType.Vulkan; }
        }
    }

    public struct RefreshRate // SR RefreshRate
    {
        public double value // SR RefreshRate-value
        {
            get { return 72; }
        }
    }

    public struct Resolution // SR Resolution
    {
        public RefreshRate refreshRateRatio // SR Resolution-refreshRateRatio
        {
            get { return new RefreshRate(); }
        }
    }

    public static class Screen // SR Screen
    {
        public static Resolution currentResolution // SR Screen-currentResolution
        {
            get { return new Resolution(); }
        }
    }
}

namespace UnityEngine
{
    using System.Collections.Generic;

    public static class SubsystemManager // SR SubsystemManager
    {
        public static void GetSubsystems<T>(List<T> subsystems) // SR SubsystemManager.GetSubsystems
        {
            subsystems.Clear();
            foreach (object known in XR.XRDisplaySubsystem.All)
            {
                subsystems.Add((T)known);
            }
        }
    }
}

namespace UnityEngine.XR
{
    using System.Collections.Generic;

    public class XRDisplaySubsystem // SR XR.XRDisplaySubsystem
    {
        internal static readonly List<XRDisplaySubsystem> All = new List<XRDisplaySubsystem>();
        internal float Hz;

        public bool running { get; internal set; } // SR IntegratedSubsystem-running

        public bool TryGetDisplayRefreshRate(out float displayRefreshRate) // SR XR.XRDisplaySubsystem.TryGetDisplayRefreshRate
        {
            displayRefreshRate = Hz;
            return Hz > 0;
        }
    }
}

namespace UnityEngine.Android
{
    public class PermissionCallbacks // SR Android.PermissionCallbacks
    {
        public event Action<string> PermissionGranted; // SR Android.PermissionCallbacks.PermissionGranted

        public event Action<string> PermissionDenied; // SR Android.PermissionCallbacks.PermissionDenied

        public event Action<string> PermissionRequestDismissed; // SR Android.PermissionCallbacks.PermissionRequestDismissed

        internal void Answer(string permission, bool granted)
        {
            Tell(granted ? PermissionGranted : PermissionDenied, permission);
        }

        internal void Dismiss(string permission)
        {
            // Without a listener of its own it counts as denied (SR, remarks).
            Tell(PermissionRequestDismissed ?? PermissionDenied, permission);
        }

        private static void Tell(Action<string> told, string permission)
        {
            if (told != null)
            {
                told(permission);
            }
        }
    }

    public struct Permission // SR Android.Permission
    {
        internal static int Looks;
        internal static readonly HashSet<string> Granted = new HashSet<string>();
        internal static readonly List<KeyValuePair<string, PermissionCallbacks>> Asked =
            new List<KeyValuePair<string, PermissionCallbacks>>();

        public static bool HasUserAuthorizedPermission(string permission) // SR Android.Permission.HasUserAuthorizedPermission
        {
            Looks++;
            return Granted.Contains(permission);
        }

        public static void RequestUserPermission(string permission, PermissionCallbacks callbacks) // SR Android.Permission.RequestUserPermission
        {
            Asked.Add(new KeyValuePair<string, PermissionCallbacks>(permission, callbacks));
        }
    }
}

namespace UnityEngine.Networking
{
    public abstract class CertificateHandler : IDisposable // SR Networking.CertificateHandler
    {
        public void Dispose() // SR Networking.CertificateHandler.Dispose
        {
        }

        protected virtual bool ValidateCertificate(byte[] certificateData) // SR Networking.CertificateHandler.ValidateCertificate
        {
            return false;
        }

        internal bool Trusts(byte[] certificate)
        {
            return ValidateCertificate(certificate);
        }
    }

    public class DownloadHandler // SR Networking.DownloadHandler
    {
        internal string Received = "";

        public string text // SR Networking.DownloadHandler-text
        {
            get { return Received; }
        }
    }

    public sealed class DownloadHandlerBuffer : DownloadHandler // SR Networking.DownloadHandlerBuffer
    {
    }

    public class UploadHandler // SR Networking.UploadHandler
    {
        internal byte[] Data;

        public string contentType { get; set; } // SR Networking.UploadHandler-contentType
    }

    public sealed class UploadHandlerRaw : UploadHandler // SR Networking.UploadHandlerRaw
    {
        public UploadHandlerRaw(byte[] data) // SR Networking.UploadHandlerRaw-ctor
        {
            Data = data;
        }
    }

    public class UnityWebRequestAsyncOperation // SR Networking.UnityWebRequestAsyncOperation
    {
    }

    public class UnityWebRequest : IDisposable // SR Networking.UnityWebRequest
    {
        internal static readonly List<UnityWebRequest> Sent = new List<UnityWebRequest>();
        internal static Action<UnityWebRequest> Server;
        internal static string Refusal;

        internal readonly Dictionary<string, string> Headers = new Dictionary<string, string>();
        internal readonly Dictionary<string, string> Answer = new Dictionary<string, string>();

        public UnityWebRequest(string url, string method) // SR Networking.UnityWebRequest-ctor
        {
            this.url = url;
            this.method = method;
        }

        public string url { get; set; } // SR Networking.UnityWebRequest-url

        public string method { get; set; } // SR Networking.UnityWebRequest-method

        public DownloadHandler downloadHandler { get; set; } // SR Networking.UnityWebRequest-downloadHandler

        public UploadHandler uploadHandler { get; set; } // SR Networking.UnityWebRequest-uploadHandler

        public CertificateHandler certificateHandler { get; set; } // SR Networking.UnityWebRequest-certificateHandler

        public int redirectLimit { get; set; } // SR Networking.UnityWebRequest-redirectLimit

        public int timeout { get; set; } // SR Networking.UnityWebRequest-timeout

        public bool isDone { get; internal set; } // SR Networking.UnityWebRequest-isDone

        public long responseCode { get; internal set; } // SR Networking.UnityWebRequest-responseCode

        public string error { get; internal set; } // SR Networking.UnityWebRequest-error

        internal bool IsDisposed { get; private set; }

        public void SetRequestHeader(string name, string value) // SR Networking.UnityWebRequest.SetRequestHeader
        {
            Headers[name] = value;
        }

        public string GetResponseHeader(string name) // SR Networking.UnityWebRequest.GetResponseHeader
        {
            string value;
            return Answer.TryGetValue(name, out value) ? value : null;
        }

        public UnityWebRequestAsyncOperation SendWebRequest() // SR Networking.UnityWebRequest.SendWebRequest
        {
            if (Refusal != null)
            {
                throw new InvalidOperationException(Refusal);
            }
            Sent.Add(this);
            return new UnityWebRequestAsyncOperation();
        }

        public void Dispose() // SR Networking.UnityWebRequest.Dispose
        {
            IsDisposed = true;
        }

        internal static void StepAll()
        {
            foreach (UnityWebRequest request in Sent.ToArray())
            {
                if (Server != null && !request.isDone && !request.IsDisposed)
                {
                    Server(request);
                }
            }
        }
    }
}
