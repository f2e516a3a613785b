using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>What matters here about a project, as the editor knows it.</summary>
    public sealed class SetupFacts
    {
        public bool HasSettings;
        public bool BuildsForAndroid;
        public bool UsesIl2Cpp;
        public bool BuildsArm64;
        public bool AsksForInternet;

        /// <summary>Whether the engine's HTTP client may use addresses without TLS in the players.</summary>
        public bool AllowsPlainHttp;

        public bool RunsInBackground;
        public bool HasWebRtc;
        public bool HasToolkit;
        public bool ManifestNamesCamera;

        /// <summary>The name of the overlay's layer; empty where it has none.</summary>
        public string OverlayLayerName = "";

        public string WhipUrl = "";
    }

    /// <summary>Something about a project, and what to do about it.</summary>
    public struct SetupFinding
    {
        /// <summary>Whether it cannot work like this; otherwise it can, but somebody should know.</summary>
        public readonly bool IsFault;

        public readonly string Text;

        public SetupFinding(bool isFault, string text)
        {
            IsFault = isFault;
            Text = text;
        }
    }

    /// <summary>Finds what would fail only on the headset.</summary>
    public static class SetupCheck
    {
        public const string OverlayLayerName = "arwarden overlay";

        public static List<SetupFinding> Findings(SetupFacts facts)
        {
            var found = new List<SetupFinding>();
            bool streams = facts.WhipUrl.Length > 0;
            bool plain = facts.WhipUrl.StartsWith("http:", StringComparison.OrdinalIgnoreCase);
            Fault(found, !facts.HasSettings, "no settings asset: Assets > Create > arwarden > Settings");
            Fault(found, facts.BuildsForAndroid && !facts.UsesIl2Cpp,
                "a Quest needs Player Settings > Other > Scripting Backend: IL2CPP");
            Fault(found, facts.BuildsForAndroid && !facts.BuildsArm64,
                "a Quest needs Player Settings > Other > Target Architectures: ARM64");
            Fault(found, facts.BuildsForAndroid && !facts.AsksForInternet,
                "set Player Settings > Other > Internet Access to Require, or nothing connects");
            Fault(found, streams && plain && !facts.AllowsPlainHttp,
                "the WHIP address has no TLS: use https, or set Player Settings > Other > Allow downloads over HTTP");
            Fault(found, streams && !facts.HasWebRtc,
                "a WHIP address is set, but com.unity.webrtc 3.0.0 or newer is not installed");
            Fault(found, streams && facts.HasToolkit && facts.BuildsForAndroid && !facts.ManifestNamesCamera,
                "the Android manifest must ask for horizonos.permission.HEADSET_CAMERA");
            Note(found, !facts.BuildsForAndroid, "the build target is not Android: this builds no app for a Quest");
            Note(found, !facts.RunsInBackground, "without Run In Background the monitor stops when the app loses focus");
            Note(found, streams && facts.HasWebRtc && !facts.HasToolkit,
                "without the MR Utility Kit 81 or newer the stream has no passthrough camera behind what the app draws");
            bool taken = facts.OverlayLayerName.Length > 0 && facts.OverlayLayerName != OverlayLayerName;
            Fault(found, taken, "the overlay's layer is named \"" + facts.OverlayLayerName
                + "\" and may hold something else, which would not be streamed: choose another in the settings");
            Note(found, facts.OverlayLayerName.Length == 0,
                "name the overlay's layer \"" + OverlayLayerName + "\", so that nobody puts anything else on it");
            return found;
        }

        private static void Fault(List<SetupFinding> found, bool holds, string text)
        {
            if (holds)
            {
                found.Add(new SetupFinding(true, text));
            }
        }

        private static void Note(List<SetupFinding> found, bool holds, string text)
        {
            if (holds)
            {
                found.Add(new SetupFinding(false, text));
            }
        }
    }
}
